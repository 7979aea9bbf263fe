/** What signing in needs beside the store. */
export interface AccountRoom {
  /** Where links to this service begin. */
  baseUrl(): string
  /** Whether mail stays in the store, because no mail server is set. */
  keepsMail: boolean
}
