interface CodeProps {
  text: string
  language?: string | undefined
  id?: string | undefined
}

/** A block of code. Its button stays unseen where no script could copy. */
export const Code = ({ text, language, id }: CodeProps) => (
  <div class="code">
    {/* Wide code scrolls, and a reader without a mouse must be able to scroll it. */}
    <pre tabIndex={0} data-language={language} id={id}>
      <code>{text}</code>
    </pre>
    <button type="button" class="copy">
      Copy
    </button>
  </div>
)

/** Tells people who do not see the button that it has copied. */
export const CopyVoice = () => <p id="copy-said" class="unseen" role="status" />
