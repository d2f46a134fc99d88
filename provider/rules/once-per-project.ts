/**
 * Answers about projects, for a preview. Each is asked for once at most, and an account that has failed is not asked again.
 * `isForAccount`: the answer holds for every project of the account, because the service refuses the key.
 */
export class OncePerProject<T extends { isForAccount?: boolean }> {
  readonly #answers = new Map<string, Promise<T | undefined>>();
  /** The accounts that are not asked again, with the answer for all their projects: undefined after a failure. */
  readonly #closedAccounts = new Map<string, T | undefined>();

  /** @param onFailure called once for each account that failed */
  constructor(private readonly onFailure: (error: unknown) => void | Promise<void>) {}

  /**
   * Undefined if the request fails, because a preview must not fail then.
   * @param account a text that identifies the account
   */
  async answer(account: string, project: string, ask: () => Promise<T>): Promise<T | undefined> {
    if (this.#closedAccounts.has(account)) return this.#closedAccounts.get(account);
    const key = `${account} ${project}`;
    let answer = this.#answers.get(key);
    if (!answer) {
      answer = ask().then(
        (found) => {
          if (found.isForAccount) this.#closedAccounts.set(account, found);
          return found;
        },
        async (error: unknown) => {
          if (this.#closedAccounts.has(account)) return this.#closedAccounts.get(account);
          this.#closedAccounts.set(account, undefined);
          await this.onFailure(error);
          return undefined;
        },
      );
      this.#answers.set(key, answer);
    }
    return answer;
  }
}
