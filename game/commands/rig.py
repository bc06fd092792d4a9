"""rig: tap, tilt, stop or watch the rig at the table."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import sys
import time
from typing import Any

from game.commands.options import json_option, number, whole
from game.match.site import OUT_OF_LEVEL
from game.words import _, figures, say
from hardware.opening import open_rig
from hardware.protocol import Ability, Counts, Fault, Health, Senses, State
from hardware.rig import Rig, tilt_in
from hardware.simulated.emulated import EMULATED
from physics.errors import InputError, ToppleError, Word

COUNTDOWN = 3  # s
LOOK_EVERY = 0.25  # s between two lines of monitor
HOLD = 1  # s

ABILITIES = {
    Ability.TAP: Word("taps"),
    Ability.TILT: Word("tilts"),
    Ability.IMU: Word("accelerometer"),
    Ability.ADC: Word("analogue tilt sensor"),
    Ability.CONTACT: Word("contact sensor"),
}
STATES = {
    State.ARMED_TAP: Word("armed for a tap"),
    State.ARMED_TILT: Word("armed for a tilt"),
    State.STRIKING: Word("striking"),
    State.RETRACTING: Word("drawing the arm back"),
    State.PLATE_MOVING: Word("moving the plate"),
    State.PLATE_TILTED: Word("tilted"),
    State.STORING: Word("storing its settings"),
}
FAULTS = {
    Fault.SILENCE: Word("it heard nothing for a while and came to rest"),
    Fault.WATCHDOG: Word("it hung and was reset by its watchdog"),
    Fault.BROWNOUT: Word("its supply was too weak for a moment: give the servos one of their own"),
    Fault.NO_CALIBRATION: Word("it has the settings of a new rig"),
    Fault.NO_IMU: Word("no accelerometer answers"),
    Fault.HELD_LONG: Word("it was tilted for a minute and levelled by itself"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of rig."""
    parser.add_argument("action", choices=tuple(ACTIONS), help=_("what to do"))
    port_option(parser)
    json_option(parser)
    parser.add_argument(
        "--impulse", type=number(0, 1000), metavar="MN·S", help=_("tap: how strong, in mN·s; needs a calibration")
    )
    parser.add_argument(
        "--stroke", type=whole(1, 10_000), metavar="µS", help=_("tap: how far the servo goes, in µs of its pulse")
    )
    parser.add_argument(
        "--countdown",
        type=number(0, 60),
        default=COUNTDOWN,
        metavar="S",
        help=_("tap and tilt: seconds in which Ctrl-C still stops it (%(default)s)"),
    )
    parser.add_argument("--angle", type=number(-90, 90), metavar=_("DEGREES"), help=_("tilt: to which angle"))
    parser.add_argument(
        "--rate",
        type=number(0, 360),
        default=2,
        metavar=_("DEGREES"),
        help=_("tilt: how many degrees a second (%(default)s)"),
    )
    parser.add_argument(
        "--hold",
        type=number(0, 55),
        default=HOLD,
        metavar="S",
        help=_("tilt: for how many seconds, before it levels (%(default)s)"),
    )
    parser.add_argument("--for", type=number(0, 1e6), dest="seconds", metavar="S", help=_("monitor: end after a time"))


def port_option(parser: argparse.ArgumentParser) -> None:
    """Where the rig is."""
    parser.add_argument(
        "--port",
        metavar=_("PORT"),
        help=_(
            "the rig's serial port, such as COM3 or /dev/ttyUSB0; emulated: a rig in software "
            "(default: the first found)"
        ),
    )


def run(options: argparse.Namespace) -> int:
    """Does it; 1 when the rig did not."""
    _check(options)
    rig = open_rig(options.port)
    try:
        return ACTIONS[options.action](rig, options)
    except KeyboardInterrupt:
        with contextlib.suppress(ToppleError):
            rig.stop()
        raise
    finally:
        rig.close()


def _check(options: argparse.Namespace) -> None:
    """InputError before anything is opened."""
    if options.action == "tap" and (options.impulse is None) == (options.stroke is None):
        raise InputError("A tap needs either --impulse or --stroke.")
    if options.action == "tilt" and options.angle is None:
        raise InputError("A tilt needs --angle.")


# Status


def _status(rig: Rig, options: argparse.Namespace) -> int:
    health, senses, counts = rig.health(), rig.senses(), rig.line_counts()
    if options.json:
        print(json.dumps(status_json(rig, health, senses, counts)))
    else:
        print(status_text(rig, health, senses, counts))
    return 0


def status_json(rig: Rig, health: Health, senses: Senses, counts: Counts) -> dict[str, Any]:
    """All that is known of a rig; degrees, mN·s and ms."""
    identity = rig.identity
    tilt = tilt_in(senses, rig.settings)
    return {
        "port": rig.port.name,
        "device": rig.device,
        "firmware": f"{identity.firmware_major}.{identity.firmware_minor}",
        "protocol": identity.protocol,
        "abilities": _names(rig.abilities),
        "state": _names(State(health.state)),
        "faults": _names(Fault(health.faults)),
        "taps": health.taps,
        "tilts": health.tilts,
        "uptime_ms": health.uptime,
        "tilt": [round(math.degrees(angle), 3) for angle in tilt],
        "contact": bool(senses.contact),
        "contacts": senses.contacts,
        "limits": {
            "stroke_us": [identity.stroke_min, identity.stroke_max],
            "tilt": identity.tilt_max / 100,
            "rate": identity.rate_max / 100,
            "heartbeat_ms": identity.heartbeat,
        },
        "impulse": [round(impulse * 1e3, 4) for impulse in rig.map.impulses] if rig.map else None,
        "link": rig.counts.as_json(),
        "device_link": {
            "bad_frames": counts.bad_frames,
            "stale": counts.stale,
            "unsent": counts.unsent,
            "overruns": counts.overruns,
            "silences": counts.silences,
        },
    }


def _names(flags: Ability | State | Fault) -> list[str]:
    return [flag.name.lower() for flag in type(flags) if flag in flags and flag.name]


def status_text(rig: Rig, health: Health, senses: Senses, counts: Counts) -> str:
    """All that is known of a rig, as people read it."""
    identity, link = rig.identity, rig.counts
    version = f"{identity.firmware_major}.{identity.firmware_minor}"
    about_x, about_y = (math.degrees(angle) for angle in tilt_in(senses, rig.settings))
    faults = [_(words) for fault, words in FAULTS.items() if fault in Fault(health.faults)]
    lines = [
        _("Rig {device} at {port}, firmware {version}").format(device=rig.device, port=rig.port.name, version=version),
        _("has: {abilities}").format(
            abilities=", ".join(_(words) for ability, words in ABILITIES.items() if ability in rig.abilities)
        ),
        _("now: {state}").format(state=state_words(health.state)),
        _("tilt: {x}° about x, {y}° about y").format(x=figures(f"{about_x:+.2f}"), y=figures(f"{about_y:+.2f}")),
        _("limits: strokes of {low} to {high} µs, tilts to {tilt}°, {rate}°/s").format(
            low=identity.stroke_min,
            high=identity.stroke_max,
            tilt=figures(f"{identity.tilt_max / 100}"),
            rate=figures(f"{identity.rate_max / 100}"),
        ),
        calibration_words(rig),
        _("line: {sent} asked, {resent} asked again, {bad} damaged; answers after {mean} ms, at most {most}").format(
            sent=link.sent,
            resent=link.resent,
            bad=link.bad_frames + counts.bad_frames,
            mean=figures(f"{1000 * (link.round_trip or 0):.1f}"),
            most=figures(f"{1000 * link.round_trip_max:.1f}"),
        ),
        *(_("Warning: {fault}").format(fault=fault) for fault in faults),
        *level_words(about_x, about_y),
    ]
    return "\n".join(lines)


def state_words(state: int) -> str:
    """What a rig is about."""
    return ", ".join(_(words) for bit, words in STATES.items() if bit in State(state)) or _("at rest, disarmed")


def calibration_words(rig: Rig) -> str:
    """What its calibration is good for, or why there is none."""
    if rig.map is None:
        trouble = say(rig.map_trouble) if rig.map_trouble else ""
        return _("calibration: none. {trouble}").format(trouble=trouble)
    low, high = rig.map.impulses
    return _("calibration: taps of {low} to {high} mN·s, give or take {error}; tilts within {tilt}°").format(
        low=figures(f"{low * 1e3:.3f}"),
        high=figures(f"{high * 1e3:.3f}"),
        error=figures(f"{rig.map.tap_rms * 1e3:.4f}"),
        tilt=figures(f"{math.degrees(rig.map.tilt_rms):.2f}"),
    )


def level_words(about_x: float, about_y: float) -> list[str]:
    """A sentence about a table that is out of level, degrees; none about one that is not."""
    out = math.hypot(about_x, about_y)
    if out <= OUT_OF_LEVEL:
        return []
    return [_("Warning: the table is out of level by {angle}°").format(angle=figures(f"{out:.2f}"))]


# Doing


def _tap(rig: Rig, options: argparse.Namespace) -> int:
    stroke = options.stroke if options.stroke is not None else rig.stroke_for(options.impulse / 1e3)
    _count_down(rig, options)
    tapped = rig.tap(stroke)
    impulse = None if rig.map is None else rig.map.impulse_of(stroke) * 1e3
    if options.json:
        answer = {"stroke_us": stroke, "impulse": impulse, "touched": tapped.touched, "peak": round(tapped.peak, 4)}
        print(json.dumps({**answer, "delay_ms": None if tapped.delay is None else round(tapped.delay * 1e3)}))
    elif tapped.delay is None:
        print(_("Tapped with {stroke} µs, and touched nothing.").format(stroke=stroke))
    else:
        text = _("Tapped with {stroke} µs; the tile was touched after {delay} ms.")
        print(text.format(stroke=stroke, delay=round(tapped.delay * 1e3)))
    return 0


def _tilt(rig: Rig, options: argparse.Namespace) -> int:
    _count_down(rig, options)
    rig.tilt(math.radians(options.angle), math.radians(options.rate))
    rig.wait(options.hold)
    measured = [math.degrees(angle) for angle in rig.read_tilt()]
    rig.home()
    if options.json:
        print(json.dumps({"asked": options.angle, "measured": [round(angle, 3) for angle in measured]}))
    else:
        text = _("Tilted to {x}° about x and {y}° about y, and levelled again.")
        print(text.format(x=figures(f"{measured[0]:+.2f}"), y=figures(f"{measured[1]:+.2f}")))
    return 0


def _count_down(rig: Rig, options: argparse.Namespace) -> None:
    """Time to take fingers away; nothing is armed yet. A rig in software waits for nobody."""
    if rig.port.name == EMULATED:
        return
    for left in range(math.ceil(options.countdown), 0, -1):
        print(_("{seconds} … (Ctrl-C stops)").format(seconds=left), file=sys.stderr, flush=True)
        time.sleep(min(1.0, options.countdown))


def _stop(rig: Rig, options: argparse.Namespace) -> int:
    rig.stop()
    print(json.dumps({"stopped": True}) if options.json else _("Stopped: arm back, plate level, disarmed."))
    return 0


def _monitor(rig: Rig, options: argparse.Namespace) -> int:
    end = math.inf if options.seconds is None else rig.port.now() + options.seconds
    while True:
        health, senses = rig.health(), rig.senses()
        about_x, about_y = (math.degrees(angle) for angle in tilt_in(senses, rig.settings))
        if options.json:
            line = {
                "uptime_ms": health.uptime,
                "state": _names(State(health.state)),
                "faults": _names(Fault(health.faults)),
                "tilt": [round(about_x, 3), round(about_y, 3)],
                "contact": bool(senses.contact),
                "contacts": senses.contacts,
                "taps": health.taps,
                "link": rig.counts.as_json(),
            }
            print(json.dumps(line), flush=True)
        else:
            text = _("{time} s  tilt {x}° {y}°  contacts {contacts}  taps {taps}  {state}")
            words = text.format(
                time=figures(f"{health.uptime / 1000:8.2f}"),
                x=figures(f"{about_x:+6.2f}"),
                y=figures(f"{about_y:+6.2f}"),
                contacts=senses.contacts,
                taps=health.taps,
                state=state_words(health.state),
            )
            print(words, flush=True)
        if rig.port.now() >= end:
            return 0
        rig.exchange.wait(LOOK_EVERY)


ACTIONS = {"status": _status, "tap": _tap, "tilt": _tilt, "stop": _stop, "monitor": _monitor}
