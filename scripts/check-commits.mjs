// Checks that the subjects of a branch's commits have at most 72 characters: `node scripts/check-commits.mjs [main]`.
import { spawnSync } from 'node:child_process'

const SUBJECT_MAX = 72

const git = (root, ...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
const isKnown = (root, name) => git(root, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`).status === 0

/** Subjects that are too long, since the given commit or else since main (local or of the remote). */
export function listLongSubjects(root, given) {
  const base = given ?? ['main', 'origin/main'].find((name) => isKnown(root, name))
  // A package or a shallow clone of one commit has nothing to compare with.
  if (base === undefined) return []
  if (!isKnown(root, base)) return [`There is no ${base} to compare with.`]
  // Merge commits written by hosts have two hashes in the subject.
  return git(root, 'log', '--no-merges', '--format=%s', `${base}..HEAD`)
    .stdout.split('\n')
    .filter((subject) => [...subject].length > SUBJECT_MAX)
    .map((subject) => `A subject of ${[...subject].length} characters, more than ${SUBJECT_MAX}: ${subject}`)
}

if (import.meta.filename === process.argv[1]) {
  const wrong = listLongSubjects(process.cwd(), process.argv[2])
  for (const line of wrong) console.log(line)
  process.exit(wrong.length > 0 ? 1 : 0)
}
