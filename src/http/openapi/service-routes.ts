import { answer } from '../../kernel/answers.ts'
import type { Described } from '../../kernel/described.ts'

const { text, list, record, words } = answer

/** What the server answers by itself. */
export const SERVICE_ROUTES: readonly Described[] = [
  {
    method: 'get',
    path: '/',
    id: 'getService',
    tag: 'service',
    summary: 'The service and its documents; browsers get a page.',
    who: 'anybody',
    answer: record({ service: text, version: text, rpc: text, docs: text }),
  },
  {
    method: 'get',
    path: '/openapi.json',
    id: 'getOpenApi',
    tag: 'service',
    summary: 'This document.',
    who: 'anybody',
    answer: answer.object,
  },
  {
    method: 'get',
    path: '/actions/{name}',
    id: 'getAction',
    tag: 'service',
    summary: 'What an action takes and answers, as JSON schemas; browsers are led to its page.',
    who: 'anybody',
    answer: record({
      name: text,
      synonyms: list(text),
      summary: text,
      request: answer.object,
      answer: answer.object,
      example: record({ request: answer.object, response: answer.oneOf(answer.object, list(answer.object)) }),
    }),
  },
  {
    method: 'get',
    path: '/health/live',
    id: 'getLiveness',
    tag: 'service',
    summary: 'Whether the process answers.',
    who: 'anybody',
    answer: record({ status: words('live') }),
  },
  {
    method: 'get',
    path: '/health/ready',
    id: 'getReadiness',
    tag: 'service',
    summary: 'Whether the gateway can take requests; 503 with a `reason` if not.',
    who: 'anybody',
    answer: record({ status: words('ready') }),
    otherwise: { status: 503, schema: record({ status: words('not ready'), reason: text }) },
  },
]
