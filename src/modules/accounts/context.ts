/** What signing in needs beside the store. */
export interface AccountContext {
  /** The base URL of links to this gateway. */
  baseUrl(): string
  /** Whether mail stays in the store because no mail server is set. */
  keepsMail: boolean
}
