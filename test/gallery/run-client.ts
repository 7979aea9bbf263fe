import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { findApart } from './apart.ts'
import { type ClientName, type Endpoint, guestOf, root } from './clients.ts'
import { type Outcome, isWriting, rowOf, rowsOfTable, writeRow } from './table.ts'

/* A client does what its own documents show, unchanged; its steps are written down, and their list is its row of docs/clients.md. */

export class Steps implements Outcome {
  readonly ran: string[] = []
  readonly not: string[] = []

  /** One thing that the client does. */
  async step<T>(name: string, run: () => Promise<T>): Promise<T> {
    const result = await run()
    this.ran.push(name)
    return result
  }

  /** What its documents do not offer. */
  lacks(name: string, why: string): void {
    this.not.push(`${name}: ${why}`)
  }

  /** What it offers and gets wrong by itself. Once it succeeds, this sentence is no longer true. */
  async fails(name: string, why: string, run: () => Promise<unknown>): Promise<void> {
    await assert.rejects(run, `${name} works; the table says "${why}"`)
    this.lacks(name, why)
  }
}

export interface ClientRun {
  t: TestContext
  steps: Steps
  access: Endpoint
  /** Where the client's package lies: the folder that has `node_modules`. */
  folder: string
}

/**
 * Walks through each endpoint of the client, compares what it did everywhere, and its row with it. The test itself is written in the
 * client's file: a failure is told with the file in which `test` was called.
 */
export function runClient(
  name: ClientName,
  run: (client: ClientRun) => Promise<void>,
): (t: TestContext) => Promise<void> {
  const { endpoints, apart } = guestOf(name)
  return async (t) => {
    const place = apart === undefined ? { folder: root } : await findApart()
    if ('missing' in place) return t.skip(place.missing)
    const { folder } = place
    const outcomes: Steps[] = []
    for (const access of endpoints) {
      const steps = new Steps()
      await run({ t, steps, access, folder }).catch((cause: unknown) => {
        throw new Error(`${name} fails at ${access}, after ${steps.ran.join(', ') || 'nothing'}`, { cause })
      })
      outcomes.push(steps)
    }
    const [first, ...others] = outcomes
    for (const other of others) assert.deepEqual(other, first, 'it can do the same at each of its endpoints')
    const row = rowOf(name, folder, first!)
    if (isWriting) writeRow(name, row)
    const shown = rowsOfTable().find((each) => each.name === name)?.line
    assert.equal(shown, row, 'docs/clients.md says something else; npm run keep-clients writes it anew')
  }
}
