import type { ComponentChildren } from 'preact'

interface PasskeyProps {
  /** The URL from which the browser gets the challenge. */
  options: string
  /** The only origin at which browsers offer the passkeys of this gateway. */
  origin: string
  children: ComponentChildren
}

/** The passkey button, which a script enables where the browser supports passkeys; otherwise the page shows the alternative. */
export const PasskeyPart = ({
  options,
  origin,
  send,
  next,
  children,
}: PasskeyProps & { send?: string; next?: string }) => (
  <div data-passkey={options} data-send={send} data-next={next} data-origin={origin}>
    <div data-ready hidden>
      {children}
    </div>
    <p class="error" role="alert" data-failed hidden />
    <p class="hint" data-elsewhere hidden>
      Passkeys of this gateway work at <a href={`${origin}/dashboard`}>{origin}</a>.
    </p>
    <p class="hint" data-unknown hidden>
      This browser does not support passkeys.
    </p>
    <noscript>
      <p class="hint">Passkeys need JavaScript.</p>
    </noscript>
  </div>
)
