import { createGateway } from '../client/index.ts'
import { NanoPaymentError, toMedusaError } from './errors.ts'
import { readOptions } from './options.ts'
import { NanoPaymentProvider } from './provider.ts'
import { readSession, requireSame } from './session.ts'
import type { AdminRequest, AdminResponse } from './shapes.ts'
import { toView } from './view.ts'

/**
 * A route for administrators: the gateway's current data about a payment. Medusa's own copy is as old as the last capture or refund, and does not have
 * their results.
 */
export async function readPayment({ params, scope }: AdminRequest, response: AdminResponse): Promise<void> {
  const { data, provider_id: providerId } = await scope.resolve('payment').retrievePayment(params.id)
  const providers = scope.resolve('configModule').modules?.payment?.options?.providers ?? []
  const provider = providers.find(({ id }) => providerId === nameOf(id))
  const session = readSession(data)
  if (!session || !provider) throw new NanoPaymentError('not_found', 'This payment was not made with nano.')
  const { url, key } = readOptions(provider.options)
  const gateway = createGateway({ url, key })
  try {
    const checkout = await gateway.checkouts.read(session.checkout_id)
    requireSame(session, checkout)
    response.json({ payment: toView(checkout, gateway.url) })
  } catch (error) {
    throw toMedusaError(error)
  }
}

/** As Medusa names a provider. */
const nameOf = (id: string | undefined) => `pp_${[NanoPaymentProvider.identifier, id].filter(Boolean).join('_')}`
