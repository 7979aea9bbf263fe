import type { Described } from '../../kernel/described.ts'
import { headerRefs, refusalRef } from './refusals.ts'
import { type Names, publicSchema } from '../../kernel/public-schema.ts'

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Requests with the same key act once; 1 to 255 printable characters.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const ID_DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'The id from an earlier answer.',
  name: 'A username.',
}

const parametersIn = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** Every status that a route may be refused with. */
export function refusalsOf(route: Described): number[] {
  const { path, who, query, body, once, refuses = [] } = route
  const statuses = [400, 429, 500, ...refuses]
  if (who !== 'anybody') statuses.push(401, 403, 503)
  if (body) statuses.push(413)
  if (query) statuses.push(400)
  if (once) statuses.push(409)
  if (parametersIn(path).length > 0) statuses.push(404)
  return [...new Set(statuses)].sort((a, b) => a - b)
}

export function toOperation(route: Described, names: Names): object {
  const { path, id, tag, summary, who, query = [], body, once, status = 200, answer, otherwise } = route
  const { type = 'application/json' } = route
  const parameters = [
    ...parametersIn(path).map((name) => ({
      name,
      in: 'path',
      required: true,
      description: ID_DESCRIPTIONS[name],
      schema: { type: 'string' },
    })),
    ...query.map(({ name, schema, description }) => ({
      name,
      in: 'query',
      required: false,
      description,
      schema: publicSchema(schema, names),
    })),
    ...(once ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ]
  return {
    operationId: id,
    tags: [tag],
    summary,
    security: who === 'anybody' ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: body.required ?? true,
        content: {
          'application/json': {
            schema: publicSchema(body.schema, names),
            ...(body.example !== undefined && { example: body.example }),
          },
        },
      },
    }),
    responses: {
      [status]: {
        description: 'Done.',
        headers: headerRefs('X-Request-Id', ...(once ? (['Idempotent-Replayed'] as const) : [])),
        content: { [type]: { schema: publicSchema(answer, names) } },
      },
      ...Object.fromEntries(refusalsOf(route).map((each) => [each, refusalRef(each)])),
      ...(otherwise && {
        [otherwise.status]: {
          description: 'It cannot.',
          headers: headerRefs('X-Request-Id'),
          content: { 'application/json': { schema: publicSchema(otherwise.schema, names) } },
        },
      }),
    },
  }
}
