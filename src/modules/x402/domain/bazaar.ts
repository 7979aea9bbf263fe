import type { Json, JsonObject } from '../../../kernel/shape.ts'
import { publicSchema } from '../../../kernel/public-schema.ts'
import type { Good } from './goods.ts'

/** The dialect that the extension prescribes. */
const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

const exactly = (value: string) => ({ type: 'string', const: value })
const HTTP = {
  type: exactly('http'),
  method: { type: 'string', enum: ['POST'] },
  bodyType: { type: 'string', enum: ['json'] },
}

/** How a sold action is called and what it answers, as the extension `bazaar` of x402 has it. */
export function describeForBazaar({ action: { input, example } }: Good): JsonObject {
  return toExtension(
    { body: example.request, bodySchema: publicSchema(input) as JsonObject },
    { type: 'json', example: example.response },
  )
}

/**
 * The same in few bytes, for the header of a challenge: proxies refuse an answer whose headers are larger than a page of memory.
 * The types of fields stay, their meaning is read elsewhere.
 */
export function describeBriefly({ action: { input, example } }: Good): JsonObject {
  const { properties = {}, required } = publicSchema(input) as {
    properties?: Record<string, JsonObject>
    required?: Json
  }
  const types = Object.entries(properties).map(([name, { type }]) => [name, type === undefined ? {} : { type }])
  const bodySchema = {
    type: 'object',
    properties: Object.fromEntries(types),
    ...(required !== undefined && { required }),
  }
  return toExtension({ body: example.request, bodySchema }, { type: 'json' })
}

function toExtension(
  { body, bodySchema }: { body: JsonObject; bodySchema: JsonObject },
  output: JsonObject,
): JsonObject {
  return {
    info: { input: { type: 'http', method: 'POST', bodyType: 'json', body }, output },
    schema: {
      $schema: DIALECT,
      type: 'object',
      properties: {
        input: {
          type: 'object',
          properties: { ...HTTP, body: bodySchema },
          required: ['type', 'method', 'bodyType', 'body'],
        },
        output: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
      },
      required: ['input'],
    },
  }
}
