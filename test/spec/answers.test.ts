import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAnswer } from '../support/answers.ts'
import { openGateway } from '../support/gateway.ts'

test('every action says what it answers, and its own example is such an answer (contract 2, rules 1 and 3)', async (t) => {
  const { app } = await openGateway(t)
  for (const { name, example } of app.doors.actions) {
    checkAnswer(app.doors.actions, name, { status: 200, text: JSON.stringify(example.response) })
  }
})

test('an answer without a member, or with a number for a text, is not what an action says', async (t) => {
  const { app } = await openGateway(t)
  const refuse = (answer: object) =>
    assert.throws(
      () => checkAnswer(app.doors.actions, 'raw_to_nano', { status: 200, text: JSON.stringify(answer) }),
      /raw_to_nano answers other than it says/,
    )
  refuse({ nano: '1' })
  refuse({ nano: '1', amount: 1 })
  refuse([])
})

test('the OpenAPI document has the answer of every action', async (t) => {
  const { app, url } = await openGateway(t)
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    components: { schemas: Record<string, { properties?: object }> }
  }
  for (const { name } of app.doors.actions) assert.ok(document.components.schemas[`${name}.answer`], name)
  assert.deepEqual(Object.keys(document.components.schemas['raw_to_nano.answer']!.properties!), ['nano', 'amount'])
})
