import type { Voice } from '../../checkout/index.ts'
import { BUYER_TEXTS } from '../buyer-texts.ts'

/** A visitor's entries, and their error. */
export interface Typed {
  plan?: string
  quantity?: string
  amount?: string
  own?: string
  email?: string
  buyer_name?: string
  buyer_address?: string
  buyer_tax_id?: string
  wrong?: 'plan' | 'quantity' | 'amount' | 'email' | 'share' | 'buyer_name' | 'buyer_address' | 'buyer_tax_id'
}

interface BuyerFieldsProps {
  typed: Typed
  voice: Voice
  wanted: 'optional' | 'required'
}

/** The fields of the buyer. The seller and everyone with the payment's link can read them, as the page says. */
export const BuyerFields = ({ typed, voice, wanted }: BuyerFieldsProps) => {
  const texts = BUYER_TEXTS[voice.language]
  const isRequired = wanted === 'required'
  const wrongOf = (name: string) => typed.wrong === name
  const described = (name: string) =>
    wrongOf(name)
      ? ({ 'aria-invalid': 'true', 'aria-describedby': `buyer-help wrong-${name}` } as const)
      : ({ 'aria-describedby': 'buyer-help' } as const)
  const Wrong = ({ name }: { name: string }) =>
    wrongOf(name) ? (
      <p id={`wrong-${name}`} class="wrong">
        {texts.wrong}
      </p>
    ) : null
  return (
    <fieldset class="buyer">
      <legend>{isRequired ? texts.legend : `${texts.legend} (${texts.optional})`}</legend>
      <p id="buyer-help" class="help">
        {texts.help}
      </p>
      <label for="buyer_name">{texts.name}</label>
      <input
        id="buyer_name"
        name="buyer_name"
        type="text"
        autocomplete="name"
        maxLength={120}
        required={isRequired}
        value={typed.buyer_name ?? ''}
        {...described('buyer_name')}
      />
      <Wrong name="buyer_name" />
      <label for="buyer_address">{texts.address}</label>
      <textarea
        id="buyer_address"
        name="buyer_address"
        rows={3}
        autocomplete="street-address"
        maxLength={500}
        required={isRequired}
        {...described('buyer_address')}
      >
        {typed.buyer_address ?? ''}
      </textarea>
      <Wrong name="buyer_address" />
      <label for="buyer_tax_id">{`${texts.taxId} (${texts.optional})`}</label>
      <input
        id="buyer_tax_id"
        name="buyer_tax_id"
        type="text"
        autocomplete="off"
        maxLength={40}
        value={typed.buyer_tax_id ?? ''}
        {...described('buyer_tax_id')}
      />
      <Wrong name="buyer_tax_id" />
    </fieldset>
  )
}
