/** The icon of a menu, in an icon button. Half of the elements of the icon set’s own: each row of a table has one. */
export const ellipsisIcon = (
  <svg aria-hidden viewBox="0 0 24 24" stroke="currentColor" strokeWidth="4" strokeLinecap="round">
    <path d="M5 12h0m7 0h0m7 0h0" />
  </svg>
);
