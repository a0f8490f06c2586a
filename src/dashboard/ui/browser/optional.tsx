import { Component, Suspense, type ReactNode } from 'react';

type Props = {
  children: ReactNode;
  /** Stands in its place where it cannot be loaded; nothing where left out. */
  fallback?: ReactNode;
};

/** What the page can do without: until it is loaded nothing stands in its place. */
export class Optional extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError() {
    return { hasFailed: true };
  }
  override render() {
    return this.state.hasFailed ? this.props.fallback : <Suspense>{this.props.children}</Suspense>;
  }
}
