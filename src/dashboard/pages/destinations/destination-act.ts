/** What is done with a destination. */
export type DestinationAct = 'test' | 'edit' | 'delete';
