import type { FormFields } from '../kernel/page.ts'

/** The fields of a form as browsers send them. */
export class SentFields implements FormFields {
  readonly #fields: URLSearchParams

  constructor(text: string) {
    this.#fields = new URLSearchParams(text)
  }

  get(name: string): string {
    return this.#fields.get(name)?.trim() ?? ''
  }

  all(name: string): string[] {
    return this.#fields.getAll(name)
  }

  typed(): Record<string, string> {
    const typed = [...this.#fields].filter(([name]) => !HIDDEN.has(name))
    return Object.fromEntries(typed)
  }

  given(names: readonly string[]): Record<string, string> {
    return Object.fromEntries(names.map((name) => [name, this.get(name)]).filter(([, value]) => value !== ''))
  }
}

const HIDDEN = new Set(['csrf', 'form_token', 'key', 'token', 'webhook_secret', 'pin'])
