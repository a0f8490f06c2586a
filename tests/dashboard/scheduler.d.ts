/** The part of React's scheduler that tests use. */
declare module 'scheduler' {
  export const unstable_IdlePriority: number;
  export const unstable_scheduleCallback: (priority: number, callback: () => void) => void;
}
