"""Lines to copy, for the end of every help: a command line and what it does."""

from __future__ import annotations

from game.words import N_, _

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        ("predict examples/arc.toml", N_("how likely is this line to fall?")),
        ("play", N_("the game, in a window")),
        ("predict --help", N_("what a command can do")),
    ),
    "play": (
        ("play", N_("in a window, with a menu")),
        ("play --text --players Ann,bot:strong", N_("in the terminal, against a bot")),
        ("play --text --resume match.topple", N_("go on with a match")),
    ),
    "replay": (
        ("replay match.topple", N_("as a film with a time line")),
        ("replay match.topple --text", N_("in words")),
    ),
    "predict": (
        ("predict examples/packed.toml", N_("a bar, every tile's chance, the weak gap, a hint")),
        ("predict examples/arc.toml --picture plan.png", N_("and the plan view, coloured by chance")),
        (
            "predict examples/arc.toml --json --width 0.02 --engine mujoco",
            N_("as JSON, with a narrower interval, by the other engine"),
        ),
    ),
    "row": (
        ("row arc --number 12 --radius 200 --out arc.toml", N_("write a line file")),
        ("row spiral --predict", N_("say at once how likely it is to fall")),
    ),
    "simulate": (
        ("simulate examples/mixed.toml --out run.topple", N_("a run that replay shows")),
        ("simulate examples/arc.toml --out fall.mp4", N_("a film; also .gif, .glb, .png, .csv")),
    ),
    "rig": (
        ("rig status --port emulated", N_("try one in software")),
        ("rig tap --impulse 3 --countdown 5", N_("tap the end tile after five seconds")),
    ),
    "calibrate": (
        ("calibrate camera 0", N_("the lens of the first camera")),
        ("calibrate table photo.jpg", N_("where the camera is, from one picture of the mat")),
    ),
    "calibrate camera": (
        ("calibrate camera 0", N_("the lens of the first camera")),
        ("calibrate camera views/ --headless --out camera.toml", N_("from a folder of pictures, without a window")),
    ),
    "calibrate table": (
        ("calibrate table 0 --camera camera.toml", N_("with the lens of that file")),
        ("calibrate table photo.jpg --picture seen.png", N_("and show what was seen")),
    ),
    "calibrate material": (
        ("calibrate material --tile-slid 14 15 13.5", N_("friction of tile on tile, from a tilt test")),
    ),
    "calibrate rig": (("calibrate rig --port emulated --video 300=tap.mp4", N_("from a film of one tap")),),
    "validate": (
        ("validate", N_("every case, on every engine there is")),
        ("validate V1 V20 --engine bullet", N_("two cases on one")),
    ),
    "prove": (
        ("prove physics --only agreement", N_("how often the engines agree")),
        ("prove game --docs docs", N_("write the page of what was measured")),
    ),
    "bench": (("bench start --docs docs", N_("only how fast it starts, written to the page")),),
    "season": (("season monday.topple tuesday.topple", N_("two evenings together")),),
    "read": (
        ("read photo.jpg", N_("which tiles stand where")),
        ("read photo.jpg --picture seen.png --json", N_("as JSON, and drawn over the picture")),
    ),
    "watch": (
        ("watch --source 0 --players Ann,Bob", N_("a match of two at a real table")),
        ("watch --source synthetic --headless", N_("without a camera and without a window")),
    ),
    "mat": (
        ("mat --out mat.pdf", N_("the mat, and the board for the lens")),
        ("mat --tags --out stickers.pdf", N_("stickers for the tops of tiles")),
    ),
    "doctor": (("doctor", N_("what is here and what is missing")),),
    "completion": (
        ("completion bash > ~/.local/share/bash-completion/completions/topple", N_("completion in every new bash")),
        ("completion zsh > ~/.zfunc/_topple", N_("for zsh, where ~/.zfunc is in $fpath")),
    ),
    "test": (
        ("test", N_("everything")),
        ("test -- -k rocking", N_("only the tests of that name")),
    ),
}


def examples_of(command: str) -> str:
    """The end of that command's help, in the language in use; of all commands' help for ""."""
    lines = [_("Examples:")]
    for line, words in EXAMPLES[command]:
        lines += [f"  ./topple {line}", f"      {_(words)}"]
    return "\n".join(lines)
