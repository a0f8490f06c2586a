import type { UserEvent } from '@testing-library/user-event';

/** Pastes text into a field. Typed text renders the page again for each character. */
export const fill = async (user: UserEvent, field: Element, text: string): Promise<void> => {
  await user.click(field);
  await user.paste(text);
};
