/** Lines that wait while a person is asked something on the same screen. */
export class HeldOutput {
  private held: string[] | null = null;

  constructor(private readonly print: (text: string) => void) {}

  line(text: string): void {
    if (this.held === null) this.print(text);
    else this.held.push(text);
  }

  hold(): void {
    this.held ??= [];
  }

  release(): void {
    const lines = this.held ?? [];
    this.held = null;
    for (const line of lines) this.print(line);
  }
}
