/** Pages in the bottom bar; one more would be narrower than 64 px on a small phone. */
export const MAX_IN_BAR = 5;
