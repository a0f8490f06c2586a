import { Component, Suspense, type ReactNode } from 'react';

/** What the page can do without: until it is loaded, and where it cannot be, nothing stands in its place. */
export class Optional extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError() {
    return { hasFailed: true };
  }
  override render() {
    return this.state.hasFailed ? null : <Suspense>{this.props.children}</Suspense>;
  }
}
