import { Component, type ComponentChildren } from 'preact';
import { Button } from '../design/button.tsx';
import { Empty } from '../design/views.tsx';

interface BoundaryProps {
  /** In another place it tries again. */
  readonly place: string;
  readonly children: ComponentChildren;
}

interface BoundaryState {
  readonly error: unknown;
  readonly hasFailed: boolean;
}

/** An error in a page does not end the console: the navigation stays, and the page says what happened. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined, hasFailed: false };

  static override getDerivedStateFromError(error: unknown): BoundaryState {
    return { error, hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override componentDidUpdate({ place }: BoundaryProps): void {
    if (this.state.hasFailed && place !== this.props.place) this.#tryAgain();
  }

  #tryAgain(): void {
    this.setState({ error: undefined, hasFailed: false });
  }

  override render() {
    const { error, hasFailed } = this.state;
    if (!hasFailed) return this.props.children;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return (
      <div role="alert">
        <Empty icon="warning" title="This page has failed">
          It is an error of the console, not of your tasks. The other pages go on.{' '}
          <Button icon="retry" onPress={() => this.#tryAgain()}>
            Try again
          </Button>
        </Empty>
        <details class="failure-text">
          <summary>What happened</summary>
          <pre class="json">{text}</pre>
        </details>
      </div>
    );
  }
}
