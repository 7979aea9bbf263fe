/** What a form has sent. */
export class FormFields {
  readonly #fields: URLSearchParams

  constructor(text: string) {
    this.#fields = new URLSearchParams(text)
  }

  /** Without the spaces that come along when something is pasted; empty when there is none. */
  get(name: string): string {
    return this.#fields.get(name)?.trim() ?? ''
  }

  all(name: string): string[] {
    return this.#fields.getAll(name)
  }

  /** Everything that somebody has typed, to show it again; never what is secret. */
  typed(): Record<string, string> {
    const typed = [...this.#fields].filter(([name]) => !HIDDEN.has(name))
    return Object.fromEntries(typed)
  }

  /** Only what is not empty: forms send every field. */
  given(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(names.map((name) => [name, this.get(name)]).filter(([, value]) => value !== ''))
  }
}

const HIDDEN = new Set(['csrf', 'form_token', 'key', 'token', 'webhook_secret'])
