export interface DeveloperPanelProps {
  /** The checkout to play with. */
  id: string
  /** The chosen plan, where there are several. */
  plan: number | undefined
  /** What this payer has chosen to pay, in raw. */
  choice: string | undefined
  /** Where the forms lead back to: a path of this gateway. */
  back: string
  /** Whether new blocks stay unconfirmed, and how many do. */
  holds: boolean
  waiting: number
}

/** Plays payer, merchant and network. It is for developers, and speaks their language alone. */
export const DeveloperPanel = ({ id, plan, choice, back, holds, waiting }: DeveloperPanelProps) => {
  const pay = `/developer/checkouts/${id}/pay`
  return (
    <details class="developer" lang="en" dir="ltr" open>
      <summary>Developer panel</summary>
      <p>
        Only on the development ledger. Blocks are{' '}
        {holds ? 'held: payments are seen but not confirmed' : 'confirmed immediately'}
        {waiting > 0 && `; ${waiting} ${waiting === 1 ? 'waits' : 'wait'}`}.
      </p>
      <div class="play-buttons">
        <PlayButton action={pay} back={back} fields={{ way: 'exactly', plan, choice }} label="Pay exactly" />
        <PlayButton action={pay} back={back} fields={{ way: 'partly', plan, choice }} label="Pay half" />
        <PlayButton action={pay} back={back} fields={{ way: 'late', plan, choice }} label="Pay late" />
        {holds ? (
          <PlayButton action="/developer/confirm" back={back} label="Confirm blocks" />
        ) : (
          <PlayButton action="/developer/hold" back={back} label="Hold blocks" />
        )}
        <PlayButton action={`/developer/checkouts/${id}/expire`} back={back} label="Expire now" />
        <PlayButton action={`/developer/checkouts/${id}/cancel`} back={back} label="Cancel" />
      </div>
    </details>
  )
}

const PlayButton = ({ action, back, fields = {}, label }: PlayButtonProps) => (
  <form method="post" action={action}>
    {Object.entries({ ...fields, return: back }).map(
      ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
    )}
    <button class="button quiet">{label}</button>
  </form>
)

interface PlayButtonProps {
  action: string
  back: string
  fields?: Readonly<Record<string, string | number | undefined>>
  label: string
}
