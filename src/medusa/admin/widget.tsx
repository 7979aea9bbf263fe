import Medusa from '@medusajs/js-sdk'
import { Button, Container, Copy, Heading, StatusBadge, Text } from '@medusajs/ui'
import { useEffect, useState } from 'react'
import type { PaymentView } from '../view.ts'
import { describePayment, describeRefund, isMoving } from './words.ts'

/* What the order's page shows of a payment with nano. */

// The build of the dashboard puts the shop's settings there; older ones know fewer.
declare const __BACKEND_URL__: string | undefined
declare const __AUTH_TYPE__: 'session' | 'jwt' | undefined
declare const __JWT_TOKEN_STORAGE_KEY__: string | undefined
const baseUrl = typeof __BACKEND_URL__ === 'undefined' ? '' : __BACKEND_URL__
const type = typeof __AUTH_TYPE__ === 'undefined' ? undefined : __AUTH_TYPE__
const jwtTokenStorageKey = typeof __JWT_TOKEN_STORAGE_KEY__ === 'undefined' ? '' : __JWT_TOKEN_STORAGE_KEY__

const shop = new Medusa({
  baseUrl: baseUrl || '/',
  auth: { type: type || 'session', ...(jwtTokenStorageKey && { jwtTokenStorageKey }) },
})

const REFRESH_MILLISECONDS = 2_000

interface Payment {
  id: string
  provider_id: string
  refunds?: readonly unknown[] | undefined
}

interface Order {
  payment_collections?: { payments?: Payment[] | undefined }[] | undefined
}

export const NanoPayments = ({ data: order }: { data: Order }) => (
  <>
    {(order.payment_collections ?? [])
      .flatMap(({ payments }) => payments ?? [])
      .filter(({ provider_id: provider }) => /^pp_nano(_|$)/.test(provider))
      .map((payment) => (
        <NanoPayment key={payment.id} payment={payment} />
      ))}
  </>
)

/** `payment` changes when somebody refunds it on the same page; the gateway's data is then read again. */
function NanoPayment({ payment: { id, refunds = [] } }: { payment: Payment }) {
  const [held, setHeld] = useState<PaymentView | undefined>(undefined)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const [round, setRound] = useState(0)
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (next: PaymentView) => {
      if (isOver) return
      setHeld(next)
      setProblem(undefined)
      if (isMoving(next)) timer = setTimeout(() => setRound(round + 1), REFRESH_MILLISECONDS)
    }
    shop.client.fetch<{ payment: PaymentView }>(`/admin/nano-gateway/payments/${id}`).then(
      ({ payment }) => show(payment),
      (error: Error) => isOver || setProblem(error.message),
    )
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [id, refunds.length, round])
  const words = held && describePayment(held)
  return (
    <Container className="divide-y p-0">
      <div className="flex items-center justify-between px-6 py-4">
        <Heading level="h2">Nano</Heading>
        {words && <StatusBadge color={words.color}>{words.state}</StatusBadge>}
      </div>
      {problem !== undefined && (
        <div className="flex flex-col items-start gap-y-2 px-6 py-4">
          <Text size="small">The state at the gateway could not be read: {problem}</Text>
          <Button size="small" variant="secondary" onClick={() => setRound(round + 1)}>
            Try again
          </Button>
        </div>
      )}
      {held && words && (
        <div className="flex flex-col gap-y-3 px-6 py-4">
          <Text size="small">{words.sentence}</Text>
          {held.block_hash !== null && <Fact label="Block of the payment" value={held.block_hash} />}
          {held.payer !== null && <Fact label="Payer" value={held.payer} />}
        </div>
      )}
      {held?.refunds.map((refund) => (
        <div key={refund.id} className="flex flex-col gap-y-3 px-6 py-4">
          <div className="flex items-center justify-between">
            <Text size="small" weight="plus">
              Refund of {refund.amount} nano
            </Text>
            <StatusBadge color={describeRefund(refund).color}>{describeRefund(refund).state}</StatusBadge>
          </div>
          {refund.failure !== null && <Text size="small">{refund.failure}</Text>}
          {refund.hash !== null && <Fact label="Block of the refund" value={refund.hash} />}
        </div>
      ))}
      {held && (
        <div className="flex flex-wrap gap-x-4 px-6 py-4">
          <Away href={held.payment_page}>Payment page</Away>
          <Away href={held.merchant_page}>Page at the gateway</Away>
        </div>
      )}
    </Container>
  )
}

const Fact = ({ label, value }: { label: string; value: string }) => (
  <div>
    <Text size="xsmall" className="text-ui-fg-subtle">
      {label}
    </Text>
    <div className="flex items-start gap-x-2">
      <Text size="xsmall" className="break-all font-mono">
        {value}
      </Text>
      <Copy content={value} aria-label={`Copy: ${label}`} className="text-ui-fg-muted shrink-0" />
    </div>
  </div>
)

const Away = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noreferrer" className="txt-small text-ui-fg-interactive">
    {children}
  </a>
)
