interface LanguageLink {
  language: string
  /** The language in its own words. */
  name: string
  href: string
}

/** The other languages that a public page speaks, each an address of its own. */
export const Languages = ({ here, links }: { here: Omit<LanguageLink, 'href'>; links: readonly LanguageLink[] }) => (
  <footer class="languages">
    <details>
      <summary lang={here.language}>{here.name}</summary>
      <ul>
        {links
          .filter(({ language }) => language !== here.language)
          .map(({ language, name, href }) => (
            <li key={language}>
              <a href={href} lang={language} hreflang={language}>
                {name}
              </a>
            </li>
          ))}
      </ul>
    </details>
  </footer>
)
