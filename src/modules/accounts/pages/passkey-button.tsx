import type { ComponentChildren } from 'preact'

interface PasskeyProps {
  /** Where the browser learns what to sign or make. */
  options: string
  /** The one origin at which browsers know the passkeys of this gateway. */
  origin: string
  children: ComponentChildren
}

/** What a script brings to life where the browser knows passkeys; without it, the way at the side is told. */
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
