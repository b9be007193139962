/** A person's answers about exactly one thing each: a yes holds for the session, a no for those who wait for it. */
export class RememberedAnswers {
  readonly #answers = new Map<string, Promise<boolean>>();

  /** The answer to a question that was answered, or is being asked; else asks it. */
  async ask(subject: string, ask: () => Promise<boolean>): Promise<boolean> {
    const known = this.#answers.get(subject);
    if (known !== undefined) return known;
    const asked = ask();
    this.#answers.set(subject, asked);
    let isYes = false;
    try {
      isYes = await asked;
      return isYes;
    } finally {
      if (!isYes) this.#answers.delete(subject);
    }
  }
}
