/** Answers about projects, for a preview. Each is asked for once at most, and an account that has failed is not asked again. */
export class OncePerProject<T> {
  readonly #answers = new Map<string, Promise<T | undefined>>();
  readonly #failedAccounts = new Set<string>();

  /**
   * Undefined if the request fails, because a preview must not fail then.
   * @param account a text that identifies the account
   */
  async answer(account: string, project: string, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.#failedAccounts.has(account)) return undefined;
    const key = `${account} ${project}`;
    let answer = this.#answers.get(key);
    if (!answer) {
      answer = ask().catch(() => {
        this.#failedAccounts.add(account);
        return undefined;
      });
      this.#answers.set(key, answer);
    }
    return answer;
  }
}
