import type { FormState, FrameProps } from '../../kernel/page.ts'
import { Form, FormError } from './form.tsx'

/** An own address, or a wallet that is made on the spot. Works without scripts: the address is read only where it was chosen. */
export const PayoutForm = ({ frame, filled, from }: { frame: FrameProps; filled: FormState; from?: 'home' }) => {
  const { values, error } = filled
  const own = values.to === 'address'
  const text = error?.field === 'address' ? error.text : undefined
  return (
    <Form frame={frame} action="/dashboard/payout" label="Where your money goes">
      {text === undefined && <FormError filled={filled} fields={[]} />}
      {from !== undefined && <input type="hidden" name="from" value={from} />}
      <div class="picks">
        <label class="pick">
          <input type="radio" name="to" value="wallet" checked={!own} />
          <span>
            <strong>Make a wallet for me</strong>
            <span class="soft">Ready at once. We keep its key; you send it on whenever you like.</span>
          </span>
        </label>
        <div class="pick">
          <input type="radio" name="to" value="address" id="f-to-address" checked={own} />
          <span>
            <label for="f-to-address">
              <strong>I have an address</strong>
            </label>
            <span class="soft" id="address-hint">
              From your wallet app: nano_… or a name such as @linden.
            </span>
            <span class={text === undefined ? 'then' : 'then wrong'}>
              <input
                type="text"
                id="f-address"
                name="address"
                aria-label="Your address"
                aria-describedby={text === undefined ? 'address-hint' : 'address-error'}
                aria-invalid={text === undefined ? undefined : 'true'}
                autofocus={text !== undefined}
                autocomplete="off"
                spellcheck={false}
                placeholder="nano_… or @name"
                value={values.address}
              />
              {text !== undefined && (
                <span class="error" id="address-error" role="alert">
                  {text === 'Bad account number' ? 'This is not a Nano address.' : text}
                </span>
              )}
            </span>
          </span>
        </div>
      </div>
      <button>Use this</button>
    </Form>
  )
}
