import { BUYER_TEXTS } from '../buyers/texts.ts'
import { type Voice, fill } from '../texts/index.ts'

export interface ReceiptProps {
  /** Whether the payer may still say where it goes. */
  isAsked: boolean
  /** Where it goes, as far as everybody with the page's link may see. */
  goesTo: string | undefined
  wrong: 'email' | 'share' | undefined
}

interface Asking {
  checkout: { id: string; status: string }
  receipt: ReceiptProps
  voice: Voice
  hrefOf(changes: Readonly<Record<string, string>>): string
}

/** Asks where the receipt should go. Folded until the checkout is paid, because paying comes first. */
export const ReceiptForm = ({ checkout, receipt, voice, hrefOf }: Asking) => {
  const words = BUYER_TEXTS[voice.language]
  const { isAsked, goesTo, wrong } = receipt
  const isPaid = checkout.status === 'complete'
  if (!isAsked) return goesTo === undefined ? null : <p class="hint">{fill(words.goesTo, { email: goesTo })}</p>
  const described = wrong === undefined ? 'email-help' : 'wrong-email email-help'
  const form = (
    <form class="amount receipt-form" method="post" action={`/pay/${checkout.id}/email`}>
      <label for="email">{words.email}</label>
      <input
        id="email"
        name="email"
        type="email"
        autocomplete="email"
        required
        maxLength={254}
        aria-invalid={wrong === 'email' ? 'true' : undefined}
        aria-describedby={described}
      />
      {wrong !== undefined && (
        <p id="wrong-email" class="wrong">
          {wrong === 'email' ? words.wrong : words.tooMany}
        </p>
      )}
      <p id="email-help" class="hint">
        {words.help}
      </p>
      <input type="hidden" name="lang" value={voice.language} />
      <input type="hidden" name="back" value={new URLSearchParams(hrefOf({}).split('?')[1]).toString()} />
      <button class="button quiet">{words.send}</button>
    </form>
  )
  return (
    <details class="receipt-by-mail" open={wrong !== undefined || (isPaid && goesTo === undefined)}>
      <summary>{goesTo === undefined ? words.ask : fill(words.goesTo, { email: goesTo })}</summary>
      {form}
    </details>
  )
}
