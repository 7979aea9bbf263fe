import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { ACTIONS } from './offered.ts'

// The gateway does not validate its own schemas: a wrong keyword would check nothing.
test('the input of each action is a valid JSON Schema', () => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true })
  assert.ok(ACTIONS.length > 0)
  for (const { name, input } of ACTIONS) assert.equal(ajv.validateSchema(input), true, `${name}: ${ajv.errorsText()}`)
  assert.equal(ajv.validateSchema({ type: 'object', properties: { one: { type: 'strnig' } } }), false)
})
