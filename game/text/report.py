"""Forecasts and runs in words, for terminals and screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from game.words import _, number, plural
from game.workers.progress import bar
from physics.hint import Change, Hint
from physics.outcome import Fate, Outcome, Prediction
from physics.scene import Scene, Tap, Tilt
from physics.tiles import Stance
from physics.wave import fall_span, speed_of

FIRM = 0.95  # from here on no "probably" is said
EVEN = (0.4, 0.6)  # between these a verdict that is not certain leans to no side
WIDE = 80  # columns of a terminal
SHOWN_TILES = 60  # a longer line is summed up


def percent(share: float) -> str:
    """A share as people say it: never 100 % or 0 % unless every run, or none, said so."""
    return f"{_bare(share)} %"


def percents(interval: tuple[float, float]) -> str:
    """A range of shares as people say it."""
    low, high = map(_bare, interval)
    return percent(interval[0]) if low == high else _("{low} to {high} %").format(low=low, high=high)


def _bare(share: float) -> str:
    if 0 < share <= 0.005:
        return "<1"
    if 0.995 <= share < 1:
        return ">99"
    return f"{share * 100:.0f}"


def forecast_word(probability: float, interval: tuple[float, float]) -> str:
    """The forecast as a word without a capital, which contradicts neither the probability nor the verdict."""
    low, high = interval
    if low > 0.5 or high < 0.5:  # the verdict is certain
        if probability in (0, 1):
            return _("falls") if probability else _("does not fall completely")
        if not 1 - FIRM <= probability <= FIRM:
            return _("almost certainly falls") if probability > 0.5 else _("almost certainly does not fall completely")
    elif EVEN[0] <= probability <= EVEN[1]:
        return _("could go either way")
    return _("probably falls") if probability > 0.5 else _("probably does not fall completely")


def forecast_in_short(probability: float, interval: tuple[float, float]) -> str:
    """The word, the number and how far to trust it, without a capital or a full stop."""
    said = _("{word}, {chance} ({range})")
    if probability <= EVEN[1]:  # of what it is the chance goes without saying only of a row that rather falls
        said = _("{word}, {chance} that all of it falls ({range})")
    return said.format(word=forecast_word(probability, interval), chance=percent(probability), range=percents(interval))


def chance_words(probability: float) -> str:
    """The number, with what it is the chance of where the word beside it speaks of something else."""
    if probability > EVEN[1]:
        return percent(probability)
    return _("{chance} that all of it falls").format(chance=percent(probability))


def stuck_words(values: Sequence[int], falls: Sequence[float], pushed: int, weakest_at: int | None) -> str:
    """That the pushed tile itself may stay up, as a sentence, where that is what a fall most often ends at; else ""."""
    if weakest_at is not None or falls[pushed] >= 1:
        return ""
    if falls[pushed] > 0:
        return _("The push does not always topple tile {value} itself.").format(value=values[pushed])
    return _("The push does not topple tile {value} itself.").format(value=values[pushed])


def forecast_headline(prediction: Prediction) -> str:
    """The word and the number, as a sentence."""
    word = with_capital(forecast_word(prediction.probability, prediction.interval))
    chance = percent(prediction.probability)
    if prediction.probability <= EVEN[1]:
        return _("{word}: {chance} that all of it falls.").format(word=word, chance=chance)
    return f"{word}: {chance}."


def why_not_surer(prediction: Prediction) -> str:
    """What the interval is made of: how few runs there were, and what is not known of contacts."""
    runs, whole = percents(prediction.sampling), percents(prediction.interval)
    if prediction.probability not in (0, 1):
        return _(
            "The runs alone say {runs}; with what is not known about how tiles bounce and slip, it is {whole}."
        ).format(runs=runs, whole=whole)
    agreed = plural(
        "{count} run says so, and no more were needed.",
        "All {count} runs say so, and no more were needed.",
        prediction.samples,
    )
    left = _("So few runs leave {runs}; with what is not known about how tiles bounce and slip, {whole}.")
    return f"{agreed} {left.format(runs=runs, whole=whole)}"


def with_capital(text: str) -> str:
    """The text as a sentence begins."""
    return text[:1].upper() + text[1:]


def stance_words(stance: Stance) -> str:
    """The stance as a word."""
    return _("upright") if stance is Stance.UPRIGHT else _("on its side")


def push_words(scene: Scene) -> str:
    """How and where the row is set going."""
    value = scene.line.values[scene.pushed]
    if isinstance(scene.push, Tilt):
        return _("a tilting table")
    if isinstance(scene.push, Tap):
        impulse = number(scene.push.impulse * 1e3)
        return _("a tap of {impulse} mN·s at tile {value}").format(impulse=impulse, value=value)
    return _("a light finger at tile {value}").format(value=value)


def fate_words(fate: Fate) -> str:
    """How a tile ended, as a word."""
    return {Fate.STANDING: _("standing"), Fate.LEANING: _("leaning"), Fate.FALLEN: _("fallen")}[fate]


def prediction_words(name: str, scene: Scene, prediction: Prediction) -> str:
    """The whole forecast: what is expected and why not surer, the tiles with their chances, the weak gap."""
    lines = [
        f"{name}: " + plural("{count} tile", "{count} tiles", len(scene.line)) + ", " + push_words(scene),
        "",
        "  " + forecast_headline(prediction),
        "  " + bar(prediction.probability, 40),
        *_folded(why_not_surer(prediction), "  "),
        "",
        *_tile_rows(scene, prediction),
    ]
    if prediction.weakest_at is not None:
        at = prediction.weakest_at
        one, other = prediction.values[at], prediction.values[at + 1]
        lines.append(
            _("Weakest gap: between {one} and {other} ({gap} mm of air).").format(
                one=one, other=other, gap=number(scene.line.gaps()[at] * 1e3, 1)
            )
        )
    stuck = stuck_words(prediction.values, prediction.tile_falls, prediction.pushed, prediction.weakest_at)
    if stuck and not isinstance(scene.push, Tilt):
        lines.append(stuck)
    if len(prediction.by_engine) > 1:
        shares = ", ".join(f"{name} {percent(share)}" for name, share in prediction.by_engine)
        lines.append(_("Each engine by itself: {shares}.").format(shares=shares))
    lines += _folded(_made_of(prediction))
    return "\n".join(lines)


def _made_of(prediction: Prediction) -> str:
    runs = plural("{count} run", "{count} runs", prediction.samples)
    return _("{runs} in {seconds} s, engine {engine}, seed {seed}, {confidence} confidence.").format(
        runs=runs,
        seconds=number(prediction.seconds, 1),
        engine=prediction.engine,
        seed=prediction.seed,
        confidence=f"{number(prediction.confidence * 100)} %",
    )


def _folded(text: str, indent: str = "") -> list[str]:
    """The text in lines of a terminal's width; a number stays beside its percent sign."""
    lines = wrap(text.replace(" %", "\u00a0%"), WIDE, initial_indent=indent, subsequent_indent=indent)
    return [line.replace("\u00a0%", " %") for line in lines]


def _tile_rows(scene: Scene, prediction: Prediction) -> list[str]:
    gaps, tilting = (None, *scene.line.gaps()), isinstance(scene.push, Tilt)
    heads = (_("tile"), _("stance"), _("gap"), _("chance to fall"))
    stances = [stance_words(placement.stance) for placement in scene.line.placements]
    wide = max(len(word) for word in (*stances, heads[1]))
    tile_wide = max(len(heads[0]), *(len(str(value)) for value in prediction.values))
    rows = [f"  {heads[0]:>{tile_wide}}  {heads[1]:<{wide}}  {heads[2]:>8}  {heads[3]}"]
    shown = range(len(scene.line))
    if len(scene.line) > SHOWN_TILES:
        shown = range(SHOWN_TILES)
    for index in shown:
        gap = gaps[index]
        air = "–" if gap is None else _("{width} mm").format(width=number(gap * 1e3, 1))
        share = prediction.tile_falls[index]
        mark = "  " + _("← pushed") if index == prediction.pushed and not tilting else ""
        rows.append(
            f"  {prediction.values[index]:>{tile_wide}}  {stances[index]:<{wide}}  {air:>8}  "
            f"{bar(share)} {percent(share):>5}{mark}"
        )
    left = len(scene.line) - len(shown)
    if left:
        rows.append("  " + plural("… and {count} more tile", "… and {count} more tiles", left))
    return [*rows, ""]


def hint_words(hint: Hint, scene: Scene) -> str:
    """The hint as something to do, and what that brings."""
    said = _("Hint: {action} for {chance} ({range}).").format(
        action=_action(hint.change, scene), chance=percent(hint.probability), range=percents(hint.interval)
    )
    return "\n".join(_folded(said))


def _action(change: Change, scene: Scene) -> str:
    values = scene.line.values
    if change.turned is not None:
        is_up = scene.line.placements[change.turned].stance is Stance.UPRIGHT
        return (_("stand {value} on its side") if is_up else _("stand {value} upright")).format(
            value=values[change.turned]
        )
    assert change.gap_at is not None
    is_last = change.gap_at == len(values) - 2
    if change.shift < 0:
        said = _("move {other} and all after it {distance} mm closer to {one}")
        if is_last:
            said = _("move {other} {distance} mm closer to {one}")
    else:
        said = _("move {other} and all after it {distance} mm away from {one}")
        if is_last:
            said = _("move {other} {distance} mm away from {one}")
    return said.format(
        one=values[change.gap_at], other=values[change.gap_at + 1], distance=number(abs(change.shift) * 1e3)
    )


def outcome_words(name: str, scene: Scene, outcome: Outcome) -> str:
    """One run: the verdict, and how each tile ended."""
    fallen = sum(outcome.fallen)
    verdict = _("Every tile fell.") if outcome.all_fell else _("The row did not fall completely.")
    lines = [
        _("{name}: {verdict} {fallen} of {count} tiles are down after {time} s.").format(
            name=name, verdict=verdict, fallen=fallen, count=len(outcome.fates), time=number(outcome.ended, 2)
        )
    ]
    if not outcome.settled:
        lines.append(_("Not everything had come to rest when the time was up."))
    if outcome.tilted:
        degrees = number(outcome.tilted * 57.29577951308232, 1)
        lines.append(_("The table was tilted by {degrees}°.").format(degrees=degrees))
    lines.append(span_words(scene, outcome))
    for value, fate, time in list(zip(scene.line.values, outcome.fates, outcome.fell_at, strict=True))[:SHOWN_TILES]:
        end = fate_words(fate)
        words = end if time is None else _("{fate} at {time} s").format(fate=end, time=number(time, 3))
        lines.append(f"  {value:>6}  {words}")
    return "\n".join(lines)


def speed_words(speed: float) -> str:
    """How fast the wave went, m/s, as a sentence."""
    return _("The wave went along the row at {speed} m/s.").format(speed=number(speed, 2))


def span_words(scene: Scene, outcome: Outcome) -> str:
    """When a run's fall began and ended, and how fast it went along the row; or why there is no such number."""
    span = fall_span(outcome)
    if span is None:
        return _("No tile fell.")
    first, last = (scene.line.values[outcome.fell_at.index(time)] for time in span)
    if sum(time is not None for time in outcome.fell_at) == 1:
        return _("Only the tile {value} fell, after {time} s.").format(value=first, time=number(span[0], 2))
    sentence = _("The first tile, {first}, fell after {begun} s, the last, {last}, {taken} s later.")
    words = sentence.format(first=first, begun=number(span[0], 2), last=last, taken=number(span[1] - span[0], 2))
    speed = speed_of(scene, outcome)
    if speed is not None:
        return f"{words} {speed_words(speed)}"
    if isinstance(scene.push, Tilt):
        return f"{words} " + _("On a tilting table no wave goes along the row.")
    return f"{words} " + _("Too few tiles fell one after another to tell how fast the wave went.")
