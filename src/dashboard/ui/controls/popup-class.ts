/** The surface of popups. */
export const popupClass =
  'max-h-[min(26rem,var(--available-height))] max-w-(--available-width) overflow-y-auto rounded-md bg-raised text-ink shadow-pop outline-none ' +
  'transition-opacity duration-100 data-ending-style:opacity-0 data-starting-style:opacity-0';
