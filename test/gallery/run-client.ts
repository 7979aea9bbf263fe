import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { findApart } from './apart.ts'
import { type ClientName, type Endpoint, guestOf, root } from './clients.ts'
import { type Outcome, isWriting, rowOf, rowsOfTable, writeRow } from './table.ts'

/* Runs a client as its own documentation shows. The steps are recorded as its row of docs/clients.md. */

export class Steps implements Outcome {
  readonly ran: string[] = []
  readonly not: string[] = []

  /** One step of the client. */
  async step<T>(name: string, run: () => Promise<T>): Promise<T> {
    const result = await run()
    this.ran.push(name)
    return result
  }

  /** Records a feature that the client does not have. */
  lacks(name: string, why: string): void {
    this.not.push(`${name}: ${why}`)
  }

  /** Records a defect of the client itself. Fails once the step works, because then the sentence is out of date. */
  async fails(name: string, why: string, run: () => Promise<unknown>): Promise<void> {
    await assert.rejects(run, `${name} works; the table says "${why}"`)
    this.lacks(name, why)
  }
}

export interface ClientRun {
  t: TestContext
  steps: Steps
  access: Endpoint
  /** The folder whose `node_modules` has the client's package. */
  folder: string
}

/**
 * Runs the client against each of its endpoints, compares the steps, and compares the table row with them. `test` is called in the client's own file,
 * because failures are reported with the file that called it.
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
