/** Copies to the clipboard; over plain HTTP, where the clipboard API is missing, through a selection. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = Object.assign(document.createElement('textarea'), { value: text, readOnly: true });
    area.style.position = 'fixed';
    area.style.opacity = '0';
    const focused = document.activeElement;
    // An open dialog keeps the focus, so the area is inserted where the focus is.
    (focused?.parentElement ?? document.body).append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return copied;
  }
};
