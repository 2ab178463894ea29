// The stories of one file share one stack and one browser.
import './settings.stories.ts'
import './keyboard.stories.ts'
import './payments-many.stories.ts'
