import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '../support/random.ts'
import type { Instance } from './instance.ts'

/** Shorter than some faults, so that answers are lost. */
const ANSWER_MAX = 12_000
const PAUSE = 300

export interface Answer {
  status: number
  body: Record<string, unknown>
  text: string
  headers: Headers
  /** The instance that answered. */
  from: string
}

/** The result of a request; undefined if it is unknown. */
export type Outcome = Answer | undefined

export interface Counts {
  requests: number
  answered: number
  /** Requests without an answer or with a 5xx, after which the outcome is unknown. */
  unclear: number
  refused: Map<string, number>
}

/** A careful client of several gateways: it uses any of them, and repeats a request with an unknown outcome with the same key. */
export class Client {
  readonly counts: Counts
  readonly violations: string[]
  readonly #instances: readonly Instance[]
  readonly #key: string
  readonly #random: SeededRandom

  constructor(
    instances: readonly Instance[],
    key: string,
    random: SeededRandom,
    { counts, violations }: Pick<Client, 'counts' | 'violations'> = {
      counts: { requests: 0, answered: 0, unclear: 0, refused: new Map() },
      violations: [],
    },
  ) {
    this.counts = counts
    this.violations = violations
    this.#instances = instances
    this.#key = key
    this.#random = random
  }

  /** The same client with another key; both share the counters. */
  withKey(key: string): Client {
    return new Client(this.#instances, key, this.#random, this)
  }

  /** Calls a route once. */
  ask(
    method: string,
    path: string,
    { key = this.#key, body, idempotencyKey }: { key?: string; body?: object; idempotencyKey?: string },
  ): Promise<Outcome> {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    return this.#ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  }

  /** Posts a form as a page without scripts does; returns the redirect's target. */
  async sendForm(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string>,
  ): Promise<{ status: number; location: string | null } | undefined> {
    const running = this.#instances.filter(({ url }) => url !== undefined)
    if (running.length === 0) return undefined
    this.counts.requests++
    try {
      const { status, headers: answered } = await fetch(`${this.#random.pick(running).url}${path}`, {
        method: 'POST',
        headers,
        body: new URLSearchParams(fields),
        redirect: 'manual',
        signal: AbortSignal.timeout(ANSWER_MAX),
      })
      this.counts.answered++
      return { status, location: answered.get('location') }
    } catch {
      this.counts.unclear++
      return undefined
    }
  }

  /** Posts once to a random running instance. */
  async post(body: object, idempotencyKey?: string): Promise<Outcome> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/json',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    }
    return this.#ask('/', { method: 'POST', headers, body: JSON.stringify(body) })
  }

  get(path: string): Promise<Outcome> {
    return this.#ask(path, { method: 'GET' })
  }

  /** Reads a route with the key. */
  getOwn(path: string): Promise<Outcome> {
    return this.#ask(path, { method: 'GET', headers: { authorization: `Bearer ${this.#key}` } })
  }

  /** Without a key. */
  postAsAnybody(path: string, body: object | string, headers: Record<string, string> = {}): Promise<Outcome> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.#ask(path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text })
  }

  pause(): Promise<void> {
    return sleep(PAUSE + this.#random.below(PAUSE))
  }

  async #ask(path: string, init: RequestInit): Promise<Outcome> {
    const running = this.#instances.filter(({ url }) => url !== undefined)
    if (running.length === 0) {
      await this.pause()
      return undefined
    }
    const instance = this.#random.pick(running)
    this.counts.requests++
    try {
      const response = await fetch(`${instance.url}${path}`, { ...init, signal: AbortSignal.timeout(ANSWER_MAX) })
      const text = await response.text()
      const { status, headers } = response
      if (status >= 500) {
        this.counts.unclear++
        return { status, body: parse(text) ?? {}, text, headers, from: instance.name }
      }
      const body = parse(text)
      if (body === undefined) this.violations.push(`${instance.name} answered ${status} with ${text.slice(0, 100)}`)
      this.counts.answered++
      if (status >= 400) {
        const code = String(body?.code)
        this.counts.refused.set(code, (this.counts.refused.get(code) ?? 0) + 1)
      }
      return { status, body: body ?? {}, text, headers, from: instance.name }
    } catch {
      this.counts.unclear++
      return undefined
    }
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
