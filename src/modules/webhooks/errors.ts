import { AppError, badField } from '../../kernel/errors.ts'
import type { RefusedAddress } from '../../kernel/outbound-failure.ts'

/** Also used for events of other accounts, so that a caller cannot learn which exist. */
export const eventNotFound = () => new AppError('not_found', 'Event not found.')
/** Also used for endpoints of other accounts. */
export const endpointNotFound = () => new AppError('not_found', 'Webhook endpoint not found.')
export const tooManyEndpoints = (max: number) =>
  new AppError('limit_reached', `An account can have up to ${max} webhook endpoints.`)
export const endpointOff = () => new AppError('conflict', 'This endpoint is disabled. Enable it first.')
export const replayRuns = () => new AppError('conflict', 'A replay to this endpoint is still running.')
export const replayTooLarge = (max: number) =>
  new AppError('invalid_request', `This period has more than ${max} events. Choose a shorter one.`, {
    body: { field: 'from_unix' },
  })
export const replaysUsedUp = (max: number) =>
  new AppError(
    'limit_reached',
    `An account can replay up to ${max} events in 24 hours. Choose a shorter period, or wait.`,
  )
export const replayNotFound = () => new AppError('not_found', 'Replay not found.')
export const tooManyWatches = (max: number) =>
  new AppError('limit_reached', `An account can watch up to ${max} addresses.`)
export const kindsNotAsked = () =>
  new AppError(
    'conflict',
    'This endpoint does not subscribe to address.received or address.sent. Add one of them to its events first.',
  )
export const tooMuchWaits = (address: string, max: number) =>
  badField('addresses', `${address} has more than ${max} unreceived sends. Receive them first.`)
export const tooManyCrowded = (max: number) =>
  badField(
    'addresses',
    `At more than ${max} of these addresses 1,000 sends or more wait. Name fewer of them at a time.`,
  )
export const eventWithoutUrl = () => new AppError('conflict', 'This event has no webhook URL.')
export const bodyForgotten = () => new AppError('conflict', 'The body of this event is no longer kept.')
export const urlRefused = (field: string, reason: RefusedAddress) =>
  new AppError('invalid_url', `${field} cannot be used: ${TEXTS[reason]}.`, { body: { field, reason } })

const TEXTS: Record<RefusedAddress, string> = {
  invalid_url: 'it is not a valid URL',
  url_too_long: 'it is longer than 2048 characters',
  scheme_refused: 'it must begin with https://',
  credentials_refused: 'it must not contain a user name or password',
  port_refused: 'the port must be 443 or 8443',
  host_refused: 'its host is not on the public internet',
  address_refused: 'the host must be a public name, not an IP address',
}
