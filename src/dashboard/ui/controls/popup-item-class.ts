/** An item in the list of a popup. */
export const popupItemClass =
  'flex min-h-8 cursor-default items-center gap-2.5 rounded-sm px-2.5 outline-none select-none touch:min-h-11 data-disabled:opacity-55 data-highlighted:bg-hover forced-colors:data-highlighted:system-highlight';
