import { Component } from 'react';
import type { ReactNode } from 'react';
import { Problem } from './problem.js';
import { words } from '../words/en.js';

interface Props {
  readonly children: ReactNode;
}

/**
 * Shows what failed in place of a screen that cannot be drawn, or whose file cannot be loaded: after an upgrade of the
 * service the files of the page before are gone, and loading the page again finds the new ones.
 */
export class Boundary extends Component<Props, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="page">
        <Problem what={words.problem.screen} error={error} retry={() => window.location.reload()} />
      </div>
    );
  }
}
