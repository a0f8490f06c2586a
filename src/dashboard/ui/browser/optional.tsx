import { Component, Suspense, type ReactNode } from 'react';

type Props = {
  children: ReactNode;
  /** Shown if loading fails. Default: nothing. */
  fallback?: ReactNode;
};

/** A part that the page works without: nothing is shown until it loads. */
export class Optional extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError() {
    return { hasFailed: true };
  }
  override render() {
    return this.state.hasFailed ? this.props.fallback : <Suspense>{this.props.children}</Suspense>;
  }
}
