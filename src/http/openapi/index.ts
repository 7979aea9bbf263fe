import type { Action } from '../../kernel/action.ts'
import { type Schema, publicSchema } from './schemas.ts'

function actionSchema(action: Action): Schema {
  const input = publicSchema(action.input) as { properties: Schema; required?: string[] }
  return {
    title: action.name,
    description: action.summary,
    type: 'object',
    required: ['action', ...(input.required ?? [])],
    properties: { action: { enum: [action.name, ...(action.synonyms ?? [])] }, ...input.properties },
  }
}

const answerName = ({ name }: Action) => `${name}.answer`

/** Synonyms have no schema of their own, so every name says which one it means. */
function schemaByName({ name, synonyms = [] }: Action): [string, string][] {
  return [name, ...synonyms].map((other) => [other, `#/components/schemas/${name}`])
}

/** The whole API as OpenAPI 3.1, made from the actions themselves. */
export function toOpenApi(actions: readonly Action[], { baseUrl, version }: { baseUrl: string; version: string }) {
  const error = {
    type: 'object',
    required: ['error'],
    properties: {
      error: { type: 'string' },
      message: { type: 'string' },
      code: { type: 'string' },
      field: { type: 'string' },
      retry_after: { type: 'integer' },
    },
  }
  const refusal = (description: string) => ({
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  })
  return {
    openapi: '3.1.0',
    info: {
      title: 'nano-gateway',
      version,
      description:
        'One endpoint: POST a JSON object whose `action` names the operation. An `error` member means failure, also with status 200.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    paths: {
      '/': {
        post: {
          summary: 'Call an action.',
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  oneOf: actions.map((action) => ({ $ref: `#/components/schemas/${action.name}` })),
                  discriminator: { propertyName: 'action', mapping: Object.fromEntries(actions.flatMap(schemaByName)) },
                },
                examples: Object.fromEntries(
                  actions.map((action) => [
                    action.name,
                    { summary: action.summary, value: { action: action.name, ...action.example.request } },
                  ]),
                ),
              },
            },
          },
          responses: {
            200: {
              description: 'The answer, or a refusal by the ledger in the member `error`.',
              content: {
                'application/json': {
                  schema: {
                    anyOf: [
                      ...actions.map((action) => ({ $ref: `#/components/schemas/${answerName(action)}` })),
                      { $ref: '#/components/schemas/Error' },
                    ],
                  },
                  examples: Object.fromEntries(
                    actions.map((action) => [action.name, { value: action.example.response }]),
                  ),
                },
              },
            },
            400: refusal('Something in the request is wrong; `field` names it.'),
            401: refusal('The key is missing or wrong.'),
            402: refusal('The action has a price: the PAYMENT-REQUIRED header says which.'),
            413: refusal('The body is too large.'),
            502: refusal('No node answers.'),
            503: refusal('Too much at once, or no work source.'),
            504: refusal('The nodes took too long.'),
          },
          security: [{}, { bearer: [] }],
        },
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: error,
        ...Object.fromEntries(actions.map((action) => [action.name, actionSchema(action)])),
        ...Object.fromEntries(actions.map((action) => [answerName(action), publicSchema(action.output)])),
      },
    },
  }
}
