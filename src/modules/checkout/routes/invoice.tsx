import type { Route } from '../../../kernel/route.ts'
import { AppError } from '../../../kernel/errors.ts'
import { getCheckout, merchantOf, readPageFacts } from '../domain/show.ts'
import { sumInvoice } from '../invoices/invoice.ts'
import { InvoicePage } from '../pages/invoice-page.tsx'
import { type PayPorts, headersFor, showProblem, voiceFor } from './pay.tsx'

/** The invoice of a checkout, for the holder of its link: a pro forma before it is paid, and numbered afterwards. */
export function invoiceRoute(ports: PayPorts): Route {
  const { ctx, limit, developmentLedger } = ports
  return {
    method: 'GET',
    path: '/pay/:id/invoice',
    access: 'open',
    limit,
    async run(request) {
      const voice = voiceFor(request)
      const { checkout } = await readPageFacts(ctx, await getCheckout(ctx, request.params.id!))
      const { id, invoice, invoiceNumber, currency, createdAt, paidAt, paidRaw, refundedRaw, blockHash } = checkout
      if (invoice === null) throw new AppError('not_found', 'Checkout not found.')
      const paid =
        checkout.status === 'complete' && paidAt !== null
          ? {
              at: paidAt,
              raw: paidRaw,
              refundedRaw,
              hash: blockHash,
              hashUrl: ctx.ports.links.block(blockHash ?? ''),
            }
          : undefined
      const page = (
        <InvoicePage
          id={id}
          invoice={invoice}
          sums={sumInvoice(invoice, currency)}
          number={invoiceNumber ?? invoice.number}
          currency={currency}
          createdAt={createdAt}
          paid={paid}
          merchant={await merchantOf(ctx, checkout)}
          address={checkout.merchantAddress}
          devnet={developmentLedger !== undefined}
          voice={voice}
        />
      )
      // It may contain a postal address, so no cache may store it.
      return { page, headers: { ...headersFor(ctx, { voice, embed: undefined }), 'cache-control': 'no-store' } }
    },
    problem: (refusal, request) => showProblem(ports, refusal, { request }),
  }
}
