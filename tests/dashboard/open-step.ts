import { screen, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';

/** Opens a step of the pipeline form. */
export const openStep = async (
  user: UserEvent,
  name: 'Source' | 'Format' | 'Destination' | 'Review',
): Promise<void> => {
  const steps = await screen.findByRole('navigation', { name: 'Steps' });
  await user.click(within(steps).getByRole('button', { name: new RegExp(`^${name}`) }));
  await screen.findByRole('region', { name });
};

/** Creates the pipeline of the form. */
export const createPipelineInReview = async (user: UserEvent): Promise<void> => {
  await openStep(user, 'Review');
  await user.click(screen.getByRole('button', { name: 'Create pipeline' }));
};
