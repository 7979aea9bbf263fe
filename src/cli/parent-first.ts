import { onParentGone } from './stop.ts'

// There is nothing to shut down yet, so this process just exits: everything written so far survives a kill as well.
onParentGone(() => process.exit(1))
// The open channel must not keep alive a command that has finished.
process.channel?.unref()
