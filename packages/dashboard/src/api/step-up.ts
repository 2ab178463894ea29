/** Proving again that the person is present, when the server wants it. The dialog registers itself; calls wait for it. */

type Ask = () => Promise<boolean>

let ask: Ask | undefined
let asking: Promise<boolean> | undefined

export function onStepUp(dialog: Ask | undefined): void {
  ask = dialog
}

/** Whether the person proved it. Requests that want it at the same time share one dialog. */
export function stepUp(): Promise<boolean> {
  asking ??= (ask?.() ?? Promise.resolve(false)).finally(() => {
    asking = undefined
  })
  return asking
}
