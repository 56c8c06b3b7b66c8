"""The functions that JavaScript finds without an import: of the language, browsers, Node and tests."""

OF_THE_LANGUAGE = (
    "Array BigInt Boolean Date Error Function Number Object Promise Proxy RegExp String Symbol decodeURI"
    " decodeURIComponent encodeURI encodeURIComponent escape eval isFinite isNaN parseFloat parseInt unescape"
)
OF_BROWSERS = (
    "addEventListener alert atob blur btoa cancelAnimationFrame cancelIdleCallback clearInterval"
    " clearTimeout close confirm createImageBitmap dispatchEvent fetch find focus getComputedStyle"
    " getSelection importScripts matchMedia moveBy moveTo open postMessage print prompt queueMicrotask"
    " removeEventListener reportError requestAnimationFrame requestIdleCallback resizeBy resizeTo scroll"
    " scrollBy scrollTo setInterval setTimeout showDirectoryPicker showOpenFilePicker showSaveFilePicker"
    " skipWaiting stop structuredClone"
)
OF_NODE = "clearImmediate gc require setImmediate"
OF_TESTS = (
    "after afterAll afterEach assert assertType before beforeAll beforeEach bench context cy describe expect"
    " expectTypeOf fail fdescribe fit it jest onTestFailed onTestFinished pending run setup specify spyOn"
    " suite suiteSetup suiteTeardown teardown test vi xdescribe xit"
)
OF_LOADERS = (
    "$ define defineEmits defineExpose defineModel defineOptions defineProps defineSlots jQuery withDefaults"
)
EVERYWHERE = frozenset(f"{OF_THE_LANGUAGE} {OF_BROWSERS} {OF_NODE} {OF_TESTS} {OF_LOADERS}".split())
