import assert from 'node:assert/strict'
import type { Reply } from './gateway.ts'

/** Bodies with an error, by the field that the answer must name. */
type Wrong = readonly [field: string, ...bodies: object[]]

/** Each of these values is wrong in the same field. */
export const wrongIn = (field: string, ...values: unknown[]): Wrong => [
  field,
  ...values.map((value) => ({ [field]: value })),
]

/** Every wrong body must be refused with 400 and the name of its field. */
export async function assertNamed(send: (body: object) => Promise<Reply>, wrong: readonly Wrong[]): Promise<void> {
  for (const [field, ...bodies] of wrong) {
    for (const body of bodies) {
      const reply = await send(body)
      assert.deepEqual([reply.status, reply.json().field], [400, field], `${JSON.stringify(body)}: ${reply.text}`)
      assert.equal(typeof reply.json().error, 'string')
    }
  }
}
