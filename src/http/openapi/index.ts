import type { TSchema } from 'typebox'
import type { Described } from '../../kernel/described.ts'
import type { Offered } from '../../kernel/module.ts'
import { ACCOUNT, KEY } from '../../modules/accounts/index.ts'
import { CHECK, CHECKOUT_EVENT, OWN_CHECKOUT, PAYMENT, RECORD } from '../../modules/checkout/index.ts'
import { EMAIL_CHECK, OWN_EMAIL_PAYMENT } from '../../modules/email/index.ts'
import { KNOWN_NAME } from '../../modules/names/index.ts'
import { REPRESENTATIVE } from '../../modules/reps/index.ts'
import { DELIVERY, EVENT, EVENT_WITH_DELIVERIES } from '../../modules/webhooks/index.ts'
import { SETTLED, TERMS, VERIFIED } from '../../modules/x402/index.ts'
import { actionPaths, actionSchemas, answerName, requestName, rootOperation, statusesOf } from './actions.ts'
import { IDEMPOTENCY_KEY, refusalsOf, toOperation } from './operation.ts'
import { ERROR, HEADERS, LEDGER_REFUSAL, PAYMENT_REQUIRED, refusalComponents } from './refusals.ts'
import { type Names, unnamed } from '../../kernel/public-schema.ts'
import { SERVICE_ROUTES } from './service-routes.ts'
import { listTags, tagOf } from './tags.ts'
import { toWebhooks } from './webhooks.ts'

/** Every route that is described, beside the actions. */
export const listDescribed = (rooms: readonly Offered[]): Described[] => [
  ...SERVICE_ROUTES,
  ...rooms.flatMap(({ described = [] }) => described),
]

/** What more than one operation answers has a name. */
const COMPONENTS: Readonly<Record<string, TSchema>> = {
  Error: ERROR,
  LedgerRefusal: LEDGER_REFUSAL,
  PaymentRequired: PAYMENT_REQUIRED,
  PaymentTerms: TERMS,
  Verification: VERIFIED,
  Settlement: SETTLED,
  Account: ACCOUNT,
  Key: KEY,
  Check: CHECK,
  CheckoutRecord: RECORD,
  Checkout: OWN_CHECKOUT,
  Payment: PAYMENT,
  CheckoutEvent: CHECKOUT_EVENT,
  Event: EVENT,
  EventWithDeliveries: EVENT_WITH_DELIVERIES,
  Delivery: DELIVERY,
  EmailPayment: OWN_EMAIL_PAYMENT,
  EmailCheck: EMAIL_CHECK,
  KnownName: KNOWN_NAME,
  Representative: REPRESENTATIVE,
}

const PAYMENT_SIGNATURE = {
  name: 'PAYMENT-SIGNATURE',
  in: 'header',
  required: false,
  description: 'Pays for this one request where it has a price: the signed payment as JSON in base64.',
  schema: { type: 'string' },
}

/** The whole API as OpenAPI 3.1: made from the actions, and from what stands beside the other routes. */
export function toOpenApi(rooms: readonly Offered[], { baseUrl, version }: { baseUrl: string; version: string }) {
  const actions = rooms.flatMap((room) => room.actions)
  const described = listDescribed(rooms)
  const names: Names = new Map<unknown, string>([
    ...actions.map((action) => [action.input, requestName(action)] as const),
    ...actions.map((action) => [action.output, answerName(action)] as const),
    ...Object.entries(COMPONENTS).map(([name, schema]) => [schema, name] as const),
  ])
  const statuses = new Set([...actions.flatMap(statusesOf), ...described.flatMap(refusalsOf)])
  return {
    openapi: '3.1.0',
    info: {
      title: 'nano-gateway',
      version,
      description: [
        'Every action has a path, `POST /actions/<name>`. `POST /` takes the same with the name in the member `action`.',
        'An `error` member means failure, even with status 200: then the ledger itself has refused.',
        "`POST /node` takes and answers what a Nano node does, as the node's own documents describe it.",
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    tags: listTags(),
    paths: withRoutes({ '/': { post: rootOperation(actions) }, ...actionPaths(rooms) }, described, names),
    webhooks: toWebhooks(names),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A secret key, or the token of a session under `/api`.',
        },
      },
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY, PaymentSignature: PAYMENT_SIGNATURE },
      headers: HEADERS,
      responses: refusalComponents([...statuses].sort((a, b) => a - b)),
      schemas: {
        ...Object.fromEntries(Object.entries(COMPONENTS).map(([name, schema]) => [name, unnamed(schema, names)])),
        ...actionSchemas(actions, names),
      },
    },
  }
}

function withRoutes(
  actions: Record<string, object>,
  described: readonly Described[],
  names: Names,
): Record<string, object> {
  const paths: Record<string, object> = { ...actions }
  for (const route of described) {
    const operation = toOperation({ ...route, tag: tagOf(route.tag) }, names)
    paths[route.path] = { ...paths[route.path], [route.method]: operation }
  }
  return paths
}
