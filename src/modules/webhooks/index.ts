export {
  type AccountSecret,
  type SecretCtx,
  accountSecret,
  createSecret,
  findAccountSecret,
  listSealedSecrets,
  rotateAccountSecret,
} from './domain/account-secret.ts'
export { type AttemptEvent, type DeliveryCtx } from './domain/deliver.ts'
export { HostSlots } from './domain/host-slots.ts'
export { type EventWithDeliveries, getEvent, listEvents, listEventsOf, listNewestEvents } from './domain/list-events.ts'
export { ping } from './domain/ping.ts'
export { type NewEvent, recordEvent } from './domain/record-event.ts'
export { redeliver } from './domain/redeliver.ts'
export { signBody } from './domain/sign-body.ts'
export {
  type AttemptRecord,
  type DeliveryRecord,
  countAttemptDays,
  countFailing,
  countUndelivered,
  listDisabled,
} from './deliveries-store.ts'
export { urlRefused } from './errors.ts'
export { deliverWebhook, forgetEvents, reviveDeliveries } from './jobs.ts'
export { webhookRoutes } from './routes/api.ts'
export { showDelivery, showEvent, showEventWithDeliveries } from './shape-event.ts'
export type { EventRecord } from './store.ts'
export { readEventQuery, readPingUrl, toCursor } from './wire-fields.ts'
export { DELIVERY, EVENT, EVENT_WITH_DELIVERIES, PING_EVENT, WEBHOOK_SECRET } from './answers.ts'
export { webhookPages } from './routes/dashboard.tsx'
