/** Keeps the frame of the page when a screen cannot be shown: what went wrong is told in its place. */
import { Component, type ReactNode } from 'react';
import { Problem } from './problem.tsx';

export class Boundary extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="stack">
        <h1>This cannot be shown</h1>
        <Problem error={this.state.error} onRetry={() => this.setState({ error: null })} />
      </div>
    );
  }
}
