import { onParentGone } from './stop.ts'

// Nothing has to be shut down this early, so the process just exits: data written so far would survive a kill as well.
onParentGone(() => process.exit(1))
// The open channel must not keep alive a command that has finished.
process.channel?.unref()
